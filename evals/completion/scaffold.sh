set -e
mkdir -p src tests
printf 'def login(user, password):\n    # TODO: limit the attempts\n    return user == "admin" and password == "admin"\n' > src/auth.py
printf 'def export(rows):\n    # TODO: quote the separator\n    return "\\n".join(",".join(row) for row in rows)\n' > src/export.py

set -e
mkdir -p src
printf 'src/auth.py\nsrc/export.py\n' > MANIFEST.txt
printf 'x = 1\n' > src/auth.py
: > src/export.py

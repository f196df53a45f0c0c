set -e
mkdir -p notes
for n in $(seq -w 1 20); do printf 'The number is %d.\n' "$((10#$n))" > "notes/$n.txt"; done

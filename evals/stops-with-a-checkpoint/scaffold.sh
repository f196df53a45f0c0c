set -e
mkdir -p docs
printf 'billing\nsearch\nshipping\n' > services.txt
printf 'Billing writes the invoices at night.\n' > docs/billing.md
printf 'Search keeps its index in memory.\n' > docs/search.md

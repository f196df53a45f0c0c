"""The result contract: reading results and findings, and merging them."""

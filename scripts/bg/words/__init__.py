"""Every sentence said to a model or a person."""

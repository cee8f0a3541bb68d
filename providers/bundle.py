"""Cloud provider bundles: a provider is configured, not coded (SPEC: Provider bundle)."""

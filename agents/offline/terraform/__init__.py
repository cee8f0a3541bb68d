"""Writes Terraform for a product selection: one module of templates per product family."""

"""What every layer stands on: JSON, text cutting, paths and URIs, the Files protocol, watching."""

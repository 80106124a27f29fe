"""Detect font obfuscation: pages whose font shows other characters than their markup holds."""

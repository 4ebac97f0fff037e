#!yaml
ssh_keys:
  ben_laptop:
    enc: ssh-ed25519
    pubkey: AAAAC3NzaC1lZDI1NTE5AAAAIP8x1PcDMBGhHFYSLVM4gKWs2NQpjsDYrwEWqzUpXbGY

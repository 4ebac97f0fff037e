# What goes beyond the list of the team; merged with it.
users:
  ada:
    password: '$6$salt$IxDD3jeSOb5eB1CX5LBsqZFVkJdido3OUILO5Ifz5iwMuTS4XMS130MTSuDDl3aCI6WouIL9AjRbLCelDCy.g.'
    dotfiles: True
    rc:
      - alias ll='ls -l'
      - export EDITOR=vi
    ssh_auth:
      - ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJsx1PcDMBGhHFYSLVM4gKWs2NQpjsDYrwEWqzUpXbGX ada@harbour
      - from="10.0.0.0/8" ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQDMV25Wl8gnZAgQ ada@old
  ben:
    prime_group: {name: staff-ben, gid: 5002}
    ssh_keys_pillar: [ben_laptop]
    ssh_auth.absent:
      - ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKnobody9PcDMBGhHFYSLVM4gKWs2NQpjsDYrwEWqz ben@gone
    ssh_config:
      '*': [ForwardAgent no, 'User ben']
      bastion: [Port 2222]
  carl-x:
    home: /srv/people/carl
    home_mode: '0700'
  svc:
    system: True
    createhome: False
    shell: /usr/sbin/nologin
  nobody-else:
    absent: True
  games:
    absent: True
    purge: False

include:
  - users.keys
  - users.people
  - users.more

users_settings:
  umask: '027'
  lookup:
    ssh:
      options:
        PasswordAuthentication: 'no'
  ssh:
    allow_groups: [ops, deploy]
    options:
      Port: 2222
      ListenAddress: [127.0.0.1, '::1']
      UseDNS: 'no'

groups:
  ops: {gid: 4100}
  deploy: {system: True, gid: 412}
  audit: {}

group_members:
  audit:
    kind: addusers
    names: [ben]
  board:
    kind: members
    names: [ada, carl-x]

absent_groups: [games, nosuchgroup]

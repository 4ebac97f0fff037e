sshd_config:
  file.managed:
    - name: @OUT@/sshd_config
    - contents: |
        Port 22
        #PermitRootLogin yes
        X11Forwarding no
sshd_root:
  file.replace:
    - name: @OUT@/sshd_config
    - pattern: '^#?PermitRootLogin.*$'
    - repl: 'PermitRootLogin prohibit-password'
    - backup: False
    - require:
      - file: sshd_config
sshd_reload:
  cmd.run:
    - name: echo reload
    - onchanges:
      - file: sshd_root
    - watch_in:
      - test: sshd_done
sshd_done:
  test.nop: []

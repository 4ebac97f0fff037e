{%- set tplroot = tpldir.split('/')[0] %}
{%- from tplroot ~ '/map.jinja' import settings with context %}

users_ssh_pkg:
  pkg.installed:
    - name: {{ settings.ssh.pkg }}

users_ssh_config:
  file.managed:
    - name: {{ settings.ssh.config }}
    - source: salt://{{ tpldir }}/files/sshd_config.jinja
    - template: jinja
    - user: root
    - group: root
    - mode: '0600'
    - backup: minion
    - context:
        options: {{ settings.ssh.options | json }}
        tplroot: {{ tplroot }}
    - require:
      - pkg: users_ssh_pkg

users_ssh_banner:
  file.managed:
    - name: /etc/ssh/banner
    - contents:
      - {{ salt['pillar.get']('profile:banner', 'Authorized users only.') | yaml_dquote }}
      - ''
      - This is {{ grains['kernel'] }}.
    - watch_in:
      - service: users_ssh_service

users_ssh_service:
  service.running:
    - name: {{ settings.ssh.service }}
    - enable: True
    - watch:
      - file: users_ssh_config

users_ssh_host_key:
  cmd.run:
    - name: umask 077; echo host-key > /etc/ssh/ssh_host_site_key
    - creates: /etc/ssh/ssh_host_site_key
    - require:
      - pkg: users_ssh_pkg
    - require_in:
      - service: users_ssh_service

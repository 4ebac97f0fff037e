{%- from 'users/map.jinja' import settings, people, present with context %}
{%- from 'users/libtab/macros.jinja' import managed_by, state_id, needs_user with context %}

users_sudo_dir:
  file.directory:
    - name: {{ settings.sudo_dir }}
    - mode: '0750'
    - require:
      - pkg: users_packages

{%- for name in present if (people[name] or {}).get('sudouser', False) %}
{{ state_id(name, 'sudo') }}:
  file.managed:
    - name: {{ settings.sudo_dir }}/{{ name }}
    - mode: '0440'
    - contents: |
        {{ managed_by() }}
{%-   for rule in people[name].get('sudo_rules', ['ALL=(root) ALL']) %}
        {{ name }} {{ rule }}
{%-   endfor %}
    - check_cmd: grep -q ALL
    {{- needs_user(name, extra=['file: users_sudo_dir']) }}
{% endfor %}

users_sudo_log:
  file.accumulated:
    - name: sudo_includes
    - filename: /etc/sudo-local.conf
    - text:
{%- for name in present if (people[name] or {}).get('sudouser', False) %}
      - 'log {{ name }} /var/log/sudo-{{ name }}.log'
{%- endfor %}
    - require_in:
      - file: users_sudo_conf

users_sudo_log_more:
  file.accumulated:
    - name: sudo_includes
    - filename: /etc/sudo-local.conf
    - text: log %wheel /var/log/sudo-wheel.log
    - require_in:
      - file: users_sudo_conf

users_sudo_conf:
  file.managed:
    - name: /etc/sudo-local.conf
    - source: salt://users/templates/sudo.conf.jinja
    - template: jinja
    - mode: '0640'

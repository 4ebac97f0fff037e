{% from "users/map.jinja" import defaults with context %}
{% from "users/macros.jinja" import keyfile with context %}
include:
  - .sshd
{% for name, user in salt['pillar.get']('users', {}).items() | sort %}
home-{{ name }}:
  file.directory:
    - name: {{ defaults.home }}/{{ name }}/.ssh
    - mode: '{{ defaults.mode }}'
    - makedirs: True
keys-{{ name }}:
  file.managed:
    - name: {{ defaults.home }}/{{ name }}/authorized_keys
    - contents: {{ user['keys'] | json }}
    - mode: '0600'
    - require:
      - file: home-{{ name }}
profile-{{ name }}:
  file.managed:
    - name: {{ defaults.home }}/{{ name }}/.profile
    - source: salt://users/files/profile.j2
    - template: jinja
    - context:
        user: {{ user | json }}
        login: {{ name }}
    - defaults:
        shell: {{ defaults.shell }}
    - require:
      - file: home-{{ name }}
{%- if user.get('sudo') %}
sudo-{{ name }}:
  test.show_notification:
    - text: "{{ name }} may sudo ({{ user.fullname }})"
    - onchanges:
      - file: profile-{{ name }}
{%- endif %}
{% endfor %}

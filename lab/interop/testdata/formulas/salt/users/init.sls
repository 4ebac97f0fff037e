{%- set tplroot = tpldir.split('/')[0] %}
{%- from tplroot ~ '/map.jinja' import settings, people, present with context %}
{%- from tpldir ~ '/libtab/macros.jinja' import home_of, state_id, needs_user with context %}

include:
  - .groups
  - .absent
  - .ssh
  - {{ slsdotpath }}.ssh.keys
  - .sudo
  - .profile

{%- if settings.pkgs %}
users_packages:
  pkg.installed:
    - pkgs: {{ settings.pkgs | json }}
    - refresh: {{ settings.get('refresh', True) }}
{%- endif %}

{%- for name in present %}
{%-   set user = people[name] or {} %}
{%-   set home = home_of(name, user, settings) %}

{{ state_id(name, 'user') }}:
  user.present:
    - name: {{ name }}
    - home: {{ home }}
    - shell: {{ user.get('shell', settings.shell) }}
{%-   if 'uid' in user %}
    - uid: {{ user.uid }}
{%-   endif %}
{%-   if 'prime_group' in user %}
    - gid: {{ user.prime_group.gid }}
{%-   else %}
    - usergroup: True
{%-   endif %}
{%-   if 'fullname' in user %}
    - fullname: {{ user.fullname | yaml_dquote }}
{%-   endif %}
{%-   if 'password' in user %}
    - password: {{ user.password | yaml_squote }}
    - enforce_password: {{ user.get('enforce_password', True) }}
{%-   endif %}
    - createhome: {{ user.get('createhome', True) }}
    - remove_groups: {{ user.get('remove_groups', False) }}
{%-   if user.get('system', False) %}
    - system: True
{%-   endif %}
{%-   if user.get('groups') %}
    - groups:
{%-     for g in user.groups %}
      - {{ g }}
{%-     endfor %}
    - require:
{%-     for g in user.groups %}
      - group: users_group_{{ g }}
{%-     endfor %}
{%-   endif %}

{%-   if user.get('createhome', True) %}

{{ state_id(name, 'home') }}:
  file.directory:
    - name: {{ home }}
    - user: {{ name }}
    - group: {{ user.get('prime_group', {}).get('name', name) }}
    - mode: '{{ user.get('home_mode', settings.home_mode) }}'
    - makedirs: True
    {{- needs_user(name) }}
{%-   endif %}

{%-   if user.get('rc') %}

{{ state_id(name, 'rc') }}:
  file.append:
    - name: {{ home }}/.bashrc
    - text: {{ user.rc | json }}
    {{- needs_user(name, extra=['file: ' ~ state_id(name, 'home')]) }}
{%-   endif %}

{%-   if user.get('dotfiles') %}

{{ state_id(name, 'dotfiles') }}:
  file.recurse:
    - name: {{ home }}
    - source: salt://{{ slspath }}/files/default/dotfiles
    - user: {{ name }}
    - group: {{ user.get('prime_group', {}).get('name', name) }}
    - file_mode: '0640'
    - dir_mode: '0750'
    - template: jinja
    - defaults:
        editor: vi
    - context:
        who: {{ user.get('fullname', name) | json }}
    {{- needs_user(name, extra=['file: ' ~ state_id(name, 'home')]) }}
{%-   endif %}
{%- endfor %}

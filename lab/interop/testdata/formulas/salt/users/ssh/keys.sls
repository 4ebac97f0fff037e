{%- from 'users/map.jinja' import settings, people, present with context %}
{%- from 'users/libtab/macros.jinja' import home_of, state_id, needs_user with context %}

{%- for name in present %}
{%-   set user = people[name] or {} %}
{%-   for key in user.get('ssh_auth', []) %}
{{ state_id(name, 'ssh_auth_' ~ loop.index) }}:
  ssh_auth.present:
    - user: {{ name }}
    - name: {{ key }}
    {{- needs_user(name, extra=['file: ' ~ state_id(name, 'home')]) }}
{%    endfor %}
{%-   if user.get('ssh_keys_pillar') %}
{%-     for pillar_name in user.ssh_keys_pillar %}
{{ state_id(name, 'ssh_auth_pillar_' ~ loop.index0) }}:
  ssh_auth.present:
    - user: {{ name }}
    - names:
      - {{ salt['pillar.get']('ssh_keys:' ~ pillar_name ~ ':pubkey') }}
    - enc: {{ salt['pillar.get']('ssh_keys:' ~ pillar_name ~ ':enc', 'ssh-rsa') }}
    - comment: {{ pillar_name }}
    - options:
      - no-port-forwarding
      - command="/bin/true"
    {{- needs_user(name) }}
{%      endfor %}
{%-   endif %}
{%-   for key in user.get('ssh_auth.absent', []) %}
{{ state_id(name, 'ssh_auth_absent_' ~ loop.index) }}:
  ssh_auth.absent:
    - user: {{ name }}
    - name: {{ key }}
    {{- needs_user(name) }}
{%    endfor %}
{%-   if user.get('ssh_config') %}
{{ state_id(name, 'ssh_config') }}:
  file.managed:
    - name: {{ home_of(name, user, settings) }}/.ssh/config
    - user: {{ name }}
    - mode: '0600'
    - makedirs: True
    - dir_mode: '0700'
    - contents: |
{%-     for host, options in user.ssh_config | dictsort %}
        Host {{ host }}
{%-       for o in options %}
          {{ o }}
{%-       endfor %}
{%-     endfor %}
    {{- needs_user(name) }}
{%    endif %}
{%- endfor %}

{%- from 'users/map.jinja' import people, absent with context %}

{%- for name in absent %}
users_absent_{{ name }}:
  user.absent:
    - name: {{ name }}
    - purge: {{ people[name].get('purge', False) }}
    - force: {{ people[name].get('force', False) }}

users_absent_{{ name }}_sudo:
  file.absent:
    - name: /etc/sudoers.d/{{ name }}
    - onchanges:
      - user: users_absent_{{ name }}
{% endfor %}

{%- for g in salt['pillar.get']('absent_groups', []) %}
users_absent_group_{{ g }}:
  group.absent:
    - name: {{ g }}
{%- endfor %}

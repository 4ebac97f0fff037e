{%- from 'users/map.jinja' import people, present with context %}
{%- set wanted = [] %}
{%- for name in present %}
{%-   for g in (people[name] or {}).get('groups', []) if g not in wanted %}
{%-     do wanted.append(g) %}
{%-   endfor %}
{%- endfor %}
{%- set known = salt['pillar.get']('groups', {}) %}

{%- for g in wanted | sort %}
users_group_{{ g }}:
  group.present:
    - name: {{ g }}
{%-   if known.get(g, {}).get('gid') is not none and 'gid' in known.get(g, {}) %}
    - gid: {{ known[g].gid }}
{%-   endif %}
{%-   if known.get(g, {}).get('system', False) %}
    - system: True
{%-   endif %}
{% endfor %}

{%- for name in present if 'prime_group' in (people[name] or {}) %}
{%-   set prime = people[name].prime_group %}
users_prime_group_of_{{ name }}:
  group.present:
    - name: {{ prime.name }}
    - gid: {{ prime.gid }}
    - require_in:
      - user: users_{{ name | replace('-', '_') }}_user
{% endfor %}

{%- for g, members in salt['pillar.get']('group_members', {}) | dictsort %}
users_members_of_{{ g }}:
  group.present:
    - name: {{ g }}
    - {{ members.kind }}: {{ members.names | json }}
    - require:
{%-   for name in members.names %}
      - user: users_{{ name | replace('-', '_') }}_user
{%-   endfor %}
{% endfor %}

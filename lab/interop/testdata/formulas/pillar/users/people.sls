{%- import_yaml 'users/team.yaml' as team %}
users:
{%- for name, person in team.items() %}
  {{ name }}:
    fullname: {{ person.full }}
    uid: {{ person.uid }}
    groups: {{ person.groups | json }}
{%-   if person.get('admin') %}
    sudouser: True
    sudo_rules:
      - ALL=(root) NOPASSWD:ALL
      - ALL=(www-data) ALL
{%-   endif %}
{%- endfor %}

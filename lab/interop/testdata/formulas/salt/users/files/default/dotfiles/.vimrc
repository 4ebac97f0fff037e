" {{ who }}
set background={{ salt['pillar.get']('profile:background', 'dark') }}

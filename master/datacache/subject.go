package datacache

import "github.com/momtree/mom/internal/target"

// Subject matches targets against the cached data of one minion.
func (c *Cache) Subject(id string) target.Subject { return subject{id, c} }

type subject struct {
	id   string
	data *Cache
}

func (s subject) ID() string { return s.id }

func (s subject) Grains() any {
	if d := s.data.Get(s.id); d != nil {
		return d.Grains
	}
	return nil
}

func (s subject) Pillar() any {
	if d := s.data.Get(s.id); d != nil {
		return d.Pillar
	}
	return nil
}

package value

// Lazy is a value that a [Map] holds undecoded. Its readers by type decode it; Get
// and Range give it as it is.
type Lazy interface {
	// Value decodes it.
	Value() (any, error)
}

// value returns the value of key, decoded, or nil if the map lacks it.
func (m *Map) value(key string) any {
	v, _ := m.Get(key)
	if l, ok := v.(Lazy); ok {
		v, _ = l.Value()
	}
	return v
}

// String returns the text of key, "" when it is absent or no text.
func (m *Map) String(key string) string {
	switch v := m.value(key).(type) {
	case string:
		return v
	case []byte:
		return string(v)
	}
	return ""
}

// Bytes returns the bytes of key, nil when it is absent or neither text nor bytes.
func (m *Map) Bytes(key string) []byte {
	switch v := m.value(key).(type) {
	case string:
		return []byte(v)
	case []byte:
		return v
	}
	return nil
}

// Int returns the number of key, 0 when it is absent or no number. Floats are
// cut.
func (m *Map) Int(key string) int64 {
	switch v := m.value(key).(type) {
	case int64:
		return v
	case int:
		return int64(v)
	case uint64:
		return int64(v)
	case float64:
		return int64(v)
	}
	return 0
}

// Float returns the number of key, 0 when it is absent or no number.
func (m *Map) Float(key string) float64 {
	if f, ok := m.value(key).(float64); ok {
		return f
	}
	return float64(m.Int(key))
}

// Bool reports whether key is there and True.
func (m *Map) Bool(key string) bool {
	v, _ := m.value(key).(bool)
	return v
}

// Map returns the map of key, nil when it is absent or no map.
func (m *Map) Map(key string) *Map {
	v, _ := m.value(key).(*Map)
	return v
}

// List returns the list of key, nil when it is absent or no list.
func (m *Map) List(key string) []any {
	switch v := m.value(key).(type) {
	case []any:
		return v
	case []string:
		list := make([]any, len(v))
		for i, s := range v {
			list[i] = s
		}
		return list
	}
	return nil
}

// Strings returns the texts in the list of key; elements of other types are
// left out.
func (m *Map) Strings(key string) []string {
	list := m.List(key)
	if list == nil {
		return nil
	}
	out := make([]string, 0, len(list))
	for _, v := range list {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

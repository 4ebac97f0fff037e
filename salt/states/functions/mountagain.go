package functions

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/momtree/mom/value"
)

var (
	// invisibleOptions are options that the kernel does not show for a mount.
	invisibleOptions = strings.Fields(`_netdev actimeo bg comment defaults delay_connect direct-io-mode intr loop nointr nobootwait nofail password
		reconnect retry soft auto users bind nonempty transform_symlinks port backup-volfile-servers`)
	// invisibleKeys are options with a value that it does not show.
	invisibleKeys = strings.Fields(`actimeo comment credentials direct-io-mode password port retry secretfile`)
	mountSize     = regexp.MustCompile(`^size=([0-9]+)(k|m|g)`)
	digits        = regexp.MustCompile(`^[0-9]+$`)
)

// inKilobytes writes a size option as the kernel does.
func inKilobytes(opt string) string {
	s := mountSize.FindStringSubmatch(opt)
	if s == nil {
		return opt
	}
	n, err := strconv.ParseInt(s[1], 10, 64)
	if err != nil {
		return opt
	}
	return "size=" + strconv.FormatInt(n<<map[string]uint{"k": 0, "m": 10, "g": 20}[s[2]], 10) + "k"
}

// again remounts with other options, or unmounts another device, if needed.
func (m *mounted) again(ctx context.Context) (bool, error) {
	here := m.here()
	if here == nil || !m.Truth("mount") {
		return false, nil
	}
	m.known = append(m.known, here.String("device"))
	m.known = append(m.known, resolved(m.known[0]))
	for _, other := range []string{"alt_device", "device_uuid", "device_label"} {
		if v := here.String(other); v != "" && !slices.Contains(m.known, v) {
			m.known = append(m.known, v)
		}
	}
	changed, err := m.changedOptions(ctx, here)
	if err != nil {
		return false, err
	}
	if len(changed) > 0 {
		if done, err := m.remount(ctx, "options ("+strings.Join(changed, ",")+") changed"); done || err != nil {
			return done, err
		}
	}
	if done, err := m.lessOptions(ctx); done || err != nil {
		return done, err
	}
	if slices.Contains(m.known, m.found) {
		m.r.Comment = "Target was already mounted"
		return false, nil
	}
	return m.otherDevice(ctx)
}

// changedOptions returns the options that the mount lacks.
func (m *mounted) changedOptions(ctx context.Context, here *value.Map) ([]string, error) {
	hidden := slices.Concat(invisibleOptions, texts(m.Value("extra_mount_invisible_options")), commaList(m.Value("hidden_opts")))
	keys := slices.Concat(invisibleKeys, texts(m.Value("extra_mount_invisible_keys")))
	ignored := value.NewMap("ramfs", []any{"size"})
	translated := value.NewMap("tcp", "proto=tcp", "udp", "proto=udp")
	for name, into := range map[string]*value.Map{"extra_mount_ignore_fs_keys": ignored, "extra_mount_translate_options": translated} {
		if more, ok := m.Value(name).(*value.Map); ok {
			more.Range(func(k, v any) bool {
				into.Set(k, v)
				return true
			})
		}
	}
	fstype := m.Str("fstype")
	is := here.Strings("opts")
	for _, o := range here.Strings("superopts") {
		is = append(is, inKilobytes(o))
	}
	var out []string
	for _, opt := range m.opts {
		if to, ok := translated.Get(opt); ok {
			opt = pystr(to)
		}
		key, v, valued := strings.Cut(opt, "=")
		switch {
		case slices.Contains(keys, key), slices.Contains(texts(get(ignored, fstype)), key):
			continue
		case key == "user" && fstype == "cifs" && valued:
			opt = "username=" + v
		case (key == "uid" || key == "gid") && valued && !digits.MatchString(v):
			id, err := m.idOf(ctx, key, v)
			if err != nil {
				return nil, err
			}
			opt = key + "=" + id
		default:
			opt = inKilobytes(opt)
		}
		if !slices.Contains(is, opt) && !slices.Contains(hidden, opt) {
			out = append(out, opt)
		}
	}
	slices.Sort(out)
	return out, nil
}

// idOf returns the id of a user or a group, or its name if it has none.
func (m *mounted) idOf(ctx context.Context, key, name string) (string, error) {
	fun := map[string]string{"uid": "user.info", "gid": "group.info"}[key]
	v, err := m.Module(ctx, fun, []any{name}, nil)
	if err != nil {
		return "", err
	}
	if info, ok := v.(*value.Map); ok && info.Has(key) {
		return pystr(get(info, key)), nil
	}
	return name, nil
}

// remount mounts again; network and FUSE file systems are unmounted first.
func (m *mounted) remount(ctx context.Context, why string) (bool, error) {
	if m.Test {
		return m.ends(nil, "Remount would be forced because %s", why)
	}
	fstype, fun := m.Str("fstype"), "mount.remount"
	if fstype == "nfs" || fstype == "cvfs" || strings.HasPrefix(fstype, "fuse") {
		m.r.Changes.Set("umount", "Forced unmount and mount because "+why)
		out, err := m.Module(ctx, "mount.umount", []any{m.real}, nil)
		if err != nil {
			return false, err
		}
		if out != true {
			return m.ends(false, "Unable to unmount %s: %s.", m.real, pystr(out))
		}
		fun = "mount.mount"
	} else {
		m.r.Changes.Set("umount", "Forced remount because "+why)
	}
	out, err := m.Module(ctx, fun, []any{m.real, m.device}, value.NewMap("mkmnt", m.Value("mkmnt"), "fstype", fstype, "opts", texted(m.opts)))
	if err != nil {
		return false, err
	}
	m.cache = true
	if out != true {
		return m.ends(false, "Unable to remount %s: %s", m.real, pystr(out))
	}
	return false, nil
}

// lessOptions mounts again if an option of the last run is no longer wanted.
func (m *mounted) lessOptions(ctx context.Context) (bool, error) {
	kept, err := m.mapOf(ctx, "mount.read_mount_cache", m.real)
	if err != nil {
		return false, err
	}
	if !kept.Has("opts") {
		m.cache = true
		return false, nil
	}
	gone := slices.DeleteFunc(kept.Strings("opts"), func(o string) bool { return slices.Contains(m.opts, o) })
	if len(gone) == 0 {
		return false, nil
	}
	if m.Test {
		return m.ends(nil, "Remount would be forced because options (%s)changed", strings.Join(gone, ","))
	}
	return m.remount(ctx, "options ("+strings.Join(gone, ",")+") changed")
}

// otherDevice unmounts a device other than the wanted one.
func (m *mounted) otherDevice(ctx context.Context) (bool, error) {
	for _, pattern := range texts(m.Value("device_name_regex")) {
		re, err := regexp.Compile("^(?:" + pattern + ")")
		if err != nil {
			return m.ends(false, "device_name_regex: %v", err)
		}
		if i := slices.IndexFunc(m.known, re.MatchString); i >= 0 {
			m.r.Result, m.r.Comment = true, "An umount will not be forced because device matched device_name_regex: "+m.known[i]
			return false, nil
		}
	}
	if m.Test {
		m.r.Result, m.r.Comment = nil, "An umount would have been forced because devices do not match.  Watched: "+m.device
		return false, nil
	}
	text := "Forced unmount because devices don't match. Wanted: " + m.device
	if m.found != m.device {
		text += " (" + m.found + ")"
	}
	m.r.Changes.Set("umount", text+", current: "+strings.Join(m.known, ", "))
	if _, err := m.Module(ctx, "mount.umount", []any{m.real}, value.NewMap("user", m.Value("user"))); err != nil {
		return false, err
	}
	m.cache = true
	if err := m.read(ctx); err != nil {
		return false, err
	}
	if m.here() != nil {
		return m.ends(nil, "Unable to unmount")
	}
	return false, nil
}

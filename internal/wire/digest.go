package wire

// DigestField marks a return whose result stayed at a node below. Its value is the size in
// bytes of the whole return there, or -1 if the master above wants no event for it either. It
// is an addition of mom to Salt's returns.
const DigestField = "mom_digest"

// Trimmed replaces a result that is stored elsewhere, as in Salt's events that are too large.
const Trimmed = "VALUE_TRIMMED"

// Digest reports whether a return load is a digest, and returns the value of the field.
func Digest(full Raw) (size int64, ok bool) {
	err := Fields(full, func(key string, val Raw) (err error) {
		if key == DigestField {
			size, err = Int(val)
			ok = err == nil
		}
		return err
	})
	return size, ok && err == nil
}

package wire

// DigestField marks a return whose result stayed at a node below: it holds the
// bytes that the whole return has there, or -1 if the master above wants no
// event for it either. An addition of ours to Salt's returns.
const DigestField = "mom_digest"

// Trimmed stands in the place of a result that is kept elsewhere, as Salt has it
// in events that are too large.
const Trimmed = "VALUE_TRIMMED"

// Digest tells whether a whole return load is a digest, and what its field says.
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

package files

// Serves returns an error unless fileserver_backend may contain name. The error lists the valid
// names.
func Serves(name string) error {
	_, err := canonical(name)
	return err
}

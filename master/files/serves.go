package files

// Serves tells whether there is a backend of a name, as fileserver_backend may give it; the
// error names those that there are.
func Serves(name string) error {
	_, err := canonical(name)
	return err
}

// Package rawfile is Salt's rawfile_json returner: it appends events and returns to a file, a
// line of JSON each.
//
// The file is opened anew for each batch, so it may be rotated by renaming or by truncating
// it. A batch is written under a lock (flock, as Salt's returner takes it), as a whole or not
// at all, and is on the disk when the call returns. A file cannot detect duplicates: a batch
// that is repeated after a crash is in it twice.
package rawfile

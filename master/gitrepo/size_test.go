//go:build !slow

package gitrepo

// Sizes of the tests in `make test`.
const (
	largeFile = 1<<20 + 1<<16 // bytes, of TestLarge
	deepTree  = 300           // folders of TestTree_Bombs, one in the other
	manyBlobs = 1000          // blobs of TestCommit_ManyNames
)

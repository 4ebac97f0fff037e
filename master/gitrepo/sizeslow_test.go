//go:build slow

package gitrepo

// Sizes of the tests in `make slow`.
const (
	largeFile = 3 << 20 // bytes, of TestLarge
	deepTree  = 1000    // folders of TestTree_Bombs, one in the other
	manyBlobs = 5000    // blobs of TestCommit_ManyNames
)

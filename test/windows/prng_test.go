package windows

import (
	"bytes"
	"encoding/binary"
	"os"
	"testing"
)

// Wine before version 9 lacks a library that each Go program loads: bcryptprimitives.dll with
// the function ProcessPrng, which fills memory with random bytes. addPrng puts one into system32
// that lets the processor do it.
func (w *wine) addPrng(t *testing.T) {
	t.Helper()
	path := w.path(`windows\system32\bcryptprimitives.dll`)
	if _, err := os.Stat(path); err == nil {
		return
	}
	if err := os.WriteFile(path, prngLibrary(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// prngCode is ProcessPrng(buffer in rcx, length in rdx), which returns TRUE.
var prngCode = []byte{
	0x48, 0x85, 0xd2, // next: test rdx, rdx
	0x74, 0x0f, //            jz done
	0x0f, 0xc7, 0xf0, //      rdrand eax
	0x73, 0xf6, //            jnc next
	0x88, 0x01, //            mov [rcx], al
	0x48, 0xff, 0xc1, //      inc rcx
	0x48, 0xff, 0xca, //      dec rdx
	0xeb, 0xec, //            jmp next
	0xb8, 0x01, 0x00, 0x00, 0x00, // done: mov eax, 1
	0xc3, // ret
}

// prngLibrary returns the library: a PE file of one section, with the code and the table of its
// only export.
func prngLibrary() []byte {
	const (
		align, page, base = 0x200, 0x1000, 0x5b0000000
		headers           = 0x80 + 4 + 20 + 240 + 40 // before the section
		name, export      = "bcryptprimitives.dll\x00", "ProcessPrng\x00"
		table             = page + 0x40 // the export directory, after the code
	)
	le := binary.LittleEndian
	u16 := func(b *bytes.Buffer, vs ...uint16) {
		for _, v := range vs {
			_ = binary.Write(b, le, v)
		}
	}
	u32 := func(b *bytes.Buffer, vs ...uint32) {
		for _, v := range vs {
			_ = binary.Write(b, le, v)
		}
	}
	var section bytes.Buffer
	section.Write(prngCode)
	section.Write(make([]byte, table-page-section.Len()))
	const functions = table + 40
	const names, ordinals = functions + 4, functions + 8
	const library = functions + 12
	const symbol = library + uint32(len(name))
	u32(&section, 0, 0, 0, library, 1, 1, 1, functions, names, ordinals)
	u32(&section, page, symbol)
	u16(&section, 0, 0)
	section.WriteString(name + export)
	size := uint32(section.Len())

	var b bytes.Buffer
	b.WriteString("MZ")
	b.Write(make([]byte, 0x3c-2))
	u32(&b, 0x80)
	b.Write(make([]byte, 0x80-0x40))
	b.WriteString("PE\x00\x00")
	u16(&b, 0x8664, 1) // amd64, one section
	u32(&b, 0, 0, 0)
	u16(&b, 240, 0x2022)          // size of the next header; an executable library for large addresses
	u16(&b, 0x20b, 0)             // PE32+
	u32(&b, align, 0, 0, 0, page) // no entry point
	_ = binary.Write(&b, le, uint64(base))
	u32(&b, page, align)
	u16(&b, 6, 0, 0, 0, 6, 0)                                  // versions
	u32(&b, 0, 2*page, align*2, 0)                             // size in memory, of the headers
	u16(&b, 3, 0x100)                                          // console, no execution of data
	for _, v := range []uint64{1 << 20, page, 1 << 20, page} { // stack and heap
		_ = binary.Write(&b, le, v)
	}
	u32(&b, 0, 16)
	u32(&b, table, size-(table-page)) // the export directory is the first of 16
	b.Write(make([]byte, 15*8))
	b.WriteString(".text\x00\x00\x00")
	u32(&b, size, page, align, align*2, 0, 0, 0, 0x60000020) // code that is read and executed
	if b.Len() != headers {
		panic("size of the headers")
	}
	b.Write(make([]byte, 2*align-b.Len()))
	b.Write(section.Bytes())
	b.Write(make([]byte, 3*align-b.Len()))
	return b.Bytes()
}

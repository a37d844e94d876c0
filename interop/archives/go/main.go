// Unpacks an archive as Terraform does, by go-getter, and lists it by Go's archive/tar.
package main

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"io"
	"log"
	"os"

	getter "github.com/hashicorp/go-getter/v2"
)

type entry struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Mode int64  `json:"mode"`
	Text string `json:"text"`
}

func main() {
	archive, into := os.Args[1], os.Args[2]
	if err := new(getter.TarGzipDecompressor).Decompress(into, archive, true, 0); err != nil {
		log.Fatal(err)
	}
	file, err := os.Open(archive)
	if err != nil {
		log.Fatal(err)
	}
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		log.Fatal(err)
	}
	entries := []entry{}
	for reader := tar.NewReader(unpacked); ; {
		header, err := reader.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		text, err := io.ReadAll(reader)
		if err != nil {
			log.Fatal(err)
		}
		entries = append(entries, entry{header.Name, string(header.Typeflag), header.Mode, string(text)})
	}
	if err := json.NewEncoder(os.Stdout).Encode(entries); err != nil {
		log.Fatal(err)
	}
}

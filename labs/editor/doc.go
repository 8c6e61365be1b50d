// Package editor is a language server for scenario files: what is wrong with
// them while they are written, completion, what things mean, layout, symbols
// and definitions, over the Language Server Protocol 3.17 on a pair of streams.
//
// It uses the decoder and the checks that runs use, over what the editor has
// in its buffers, and reads nothing but the folders of the files that are open.
package editor

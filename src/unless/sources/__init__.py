"""Where tables come from: one module for each form, all behind the `Source` protocol.

`source` is the protocol, `frames` what is in memory, `content` the bytes of a file, `text`, `jsonlines`, `columnar` and
`excel` its formats, `parts` a folder of files, `files` which format a file has. They are a room of their own because
each deals with one grammar or one library, and they have nothing but the protocol in common.
"""

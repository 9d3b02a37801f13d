"""The command `unless`: it parses, calls the library, prints.

A file per command. `app` puts them together and turns errors into a line or two; `console` knows whether a person or a
pipe reads along; `options` are those that commands share; `inputs` gives them tables and models.
"""

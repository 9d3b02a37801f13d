"""`python -m unless` is the command `unless`."""

from unless.command import main

if __name__ == "__main__":
    main()

"""`python -m ludens` is `ludens`."""

from ludens.cli.app import main

if __name__ == "__main__":
    main()

"""How one command is contained: what it sees, what it may do, who starts it, what is put back afterwards."""

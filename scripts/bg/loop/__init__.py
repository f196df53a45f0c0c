"""What happens at each event, one module a step; `routes` says which event goes where."""

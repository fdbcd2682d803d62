"""What classes promise of torch.compile and torch.export, and whether they keep it: said once, held by experiment."""

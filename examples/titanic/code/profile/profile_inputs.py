import table_profile

table_profile.print_profile(sample_rows=True)

await BenchmarkCommand.main()

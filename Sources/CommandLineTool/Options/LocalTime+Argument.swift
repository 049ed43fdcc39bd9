import ArgumentParser

// Apart from the type, which readers of expressions need without an argument parser.
extension LocalTime: ExpressibleByArgument {}

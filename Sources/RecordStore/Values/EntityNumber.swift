/// The number of an entity in one store's catalogue. Never reused.
public typealias EntityNumber = Int

extension RecordFacts {
  /// The place of a field's register, or where it would be inserted.
  func position(of ordinal: Int) -> (index: Int, isFound: Bool) {
    // Records that were inserted with all fields have the register at its ordinal.
    if ordinal < registers.count, registers[ordinal].ordinal == ordinal { return (ordinal, true) }
    var low = 0
    var high = registers.count
    while low < high {
      let middle = (low + high) / 2
      if registers[middle].ordinal < ordinal { low = middle + 1 } else { high = middle }
    }
    return (low, low < registers.count && registers[low].ordinal == ordinal)
  }

  package func register(at ordinal: Int) -> Register? {
    let (index, isFound) = position(of: ordinal)
    return isFound ? registers[index] : nil
  }

  /// The target of the register's reference, visible or not.
  package func reference(at ordinal: Int) -> RecordID? {
    if case .reference(let id) = register(at: ordinal)?.value { id } else { nil }
  }

  mutating func set(_ value: FieldValue, at ordinal: Int, stamp: Stamp, isOnce: Bool = false) {
    let (index, isFound) = position(of: ordinal)
    let register = Register(ordinal: ordinal, value: value, stamp: stamp, isOnce: isOnce)
    if isFound { registers[index] = register } else { registers.insert(register, at: index) }
  }
}

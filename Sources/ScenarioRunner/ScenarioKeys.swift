import RecordSync

/// The keys of a scenario's family, each in the place of those before it: the same in every run.
enum ScenarioKeys {
  /// The key that was drawn after so many others.
  static func key(_ generation: Int) -> FamilyKey {
    var former: [FamilyKey] = []
    for number in 0...generation {
      former.append(FamilyKey(secret: secret("family key \(number)"), replacing: former))
    }
    return former[generation]
  }

  /// A key of another family.
  static let foreign = FamilyKey(secret: secret("foreign key"), replacing: [])

  private static func secret(_ name: String) -> [UInt8] {
    ["\(name), first half", "\(name), second half"].flatMap { half in
      withUnsafeBytes(of: FileOrders.seed(of: half).littleEndian) { Array($0) }
    }
  }
}

/// A device's part of the family's key.
struct ScenarioKeyRing: Hashable, Sendable {
  /// The number of the last key of the family that it was given.
  var generation = 0
  var state = Scenario.KeyState.given

  /// The key with which the engine works; nil: none.
  var key: FamilyKey? {
    switch state {
    case .given: familyKey
    case .missing: nil
    case .foreign: ScenarioKeys.foreign
    }
  }

  /// The last key of the family that the device was given, whether it has it now or not.
  var familyKey: FamilyKey { ScenarioKeys.key(generation) }
}

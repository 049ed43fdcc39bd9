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

  /// The same key in a shared family, with what a device signs by. Each may begin in an empty folder, as the founder.
  static func sharedKey(_ generation: Int, signedBy device: String) -> FamilyKey {
    let pen = "pen of \(device), key \(generation)"
    return key(generation).shared(
      as: ScenarioWorld.family, founder: secret("founder") + secret("founder's other half"),
      pen: secret(pen) + secret("\(pen), other half"))
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
  /// The device that signs with it; nil: the family is not shared.
  var signer: String?

  /// The key with which the engine works; nil: none.
  var key: FamilyKey? {
    switch state {
    case .given: familyKey
    case .missing: nil
    case .foreign: ScenarioKeys.foreign
    }
  }

  /// The last key of the family that the device was given, whether it has it now or not.
  var familyKey: FamilyKey { key(generation) }

  /// All keys of the family that the device was given.
  var familyKeys: [FamilyKey] { (0...generation).map(key) }

  private func key(_ generation: Int) -> FamilyKey {
    signer.map { ScenarioKeys.sharedKey(generation, signedBy: $0) } ?? ScenarioKeys.key(generation)
  }
}

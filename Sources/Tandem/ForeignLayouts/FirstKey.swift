import ForeignLayouts

/// The first case of an enumeration of coding keys, such as the compiler writes for a `Codable` type.
///
/// A bet on Swift (``ForeignLayout/codingKeys``): an enumeration of up to 256 plain cases is one byte that counts the
/// cases in the order of their declaration, one of a single case has no bytes (`docs/ABI/TypeLayout.rst` of the Swift
/// project, "Fragile Enum Layout"). Apple's systems hold that for good; elsewhere a later compiler may choose
/// otherwise.
///
/// No interface names the cases of such an enumeration. Without the bet only one that is `CaseIterable` has a first
/// case here. So no value of an enumeration with associated values can be made from nothing then: a property that is
/// neither optional nor has a default ends the process where its record has no value, with a sentence that asks for
/// one.
enum FirstKey {
  static func of<Key: CodingKey>(_ type: Key.Type) -> Key? { isKnown ? bits(type) : listed(type) }

  /// The value whose bits are zero.
  static func bits<Key>(_ type: Key.Type) -> Key? {
    // One byte without references could still be a structure: then it is a value all the same.
    guard _isPOD(Key.self) else { return nil }
    switch MemoryLayout<Key>.size {
    case 1: return unsafeBitCast(0 as UInt8, to: Key.self)
    case 0: return unsafeBitCast((), to: Key.self)
    default: return nil
    }
  }

  static func listed<Key>(_ type: Key.Type) -> Key? {
    (type as? any CaseIterable.Type).flatMap { MissingValue.first(of: $0) } as? Key
  }

  private static let isKnown: Bool = {
    if ForeignLayout.codingKeys.isOn {
      ForeignLayout.codingKeys.settle(
        agrees {
          bits(Several.self)
        } sole: {
          bits(Sole.self)
        })
    }
    return ForeignLayout.codingKeys.isOn
  }()

  enum Several: CodingKey, CaseIterable { case first, second, third }
  enum Sole: CodingKey, CaseIterable { case only }

  /// Whether enumerations that list their cases begin with what was read.
  static func agrees(_ several: () -> Several?, sole: () -> Sole?) -> Bool {
    several() == listed(Several.self) && sole() == listed(Sole.self)
  }
}

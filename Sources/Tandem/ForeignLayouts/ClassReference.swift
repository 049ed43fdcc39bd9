import ForeignLayouts

/// The contents of a variable of a protocol of classes, or of a class: the reference, seen without a copy that counts.
///
/// A bet on Swift (``ForeignLayout/references``): a value of a protocol of classes is the reference, then a word that
/// says how the class conforms; nil is zeros; a reference to an object of a class and one to any object are the same
/// bits, the object's address (`docs/ABI/TypeLayout.rst` of the Swift project, "Existential Container Layout").
/// Apple's systems hold that for good; elsewhere a later compiler may choose otherwise. The slower way takes the value
/// out of the variable, asks, and puts it back.
///
/// A pointer file: the variables are asked where they lie, because a value that is read is copied.
@usableFromInline
enum ClassReference {
  typealias Place = UnsafeMutablePointer<(any PersistentModel)?>

  /// Whether nobody else holds an object.
  static func isOnly(at place: Place) -> Bool { isKnown ? isOnlyInPlace(place) : isOnlyTakenOut(place) }

  /// A value of the protocol, or one of `AnyObject`, would be opened by the compiler, which makes a copy, and then
  /// there are two.
  static func isOnlyInPlace<Value>(_ place: UnsafeMutablePointer<Value?>) -> Bool {
    UnsafeMutableRawPointer(place).withMemoryRebound(to: AnyObject?.self, capacity: 1) {
      isKnownUniquelyReferenced(&$0.pointee)
    }
  }

  static func isOnlyTakenOut(_ place: Place) -> Bool {
    var object = takeOut(place)
    defer { place.pointee = object as? any PersistentModel }
    return isKnownUniquelyReferenced(&object)
  }

  // Not inlined, so that the object is held by its result alone.
  @inline(never)
  private static func takeOut(_ place: Place) -> AnyObject? { place.pointee.take() }

  /// The address of the object at a place, which is not nil.
  static func address<Value>(at place: UnsafeMutablePointer<Value?>) -> UInt {
    UnsafeRawPointer(place).load(as: UInt.self)
  }

  /// Whether references are laid out as described.
  @usableFromInline static let isKnown: Bool = {
    if ForeignLayout.references.isOn {
      ForeignLayout.references.settle(agrees(address: { address(at: $0) }, isOnly: { isOnlyInPlace($0) }))
    }
    return ForeignLayout.references.isOn
  }()

  /// Whether what is read of an object is so: its address, and that it is held once, then twice, then once.
  static func agrees(
    address: (UnsafeMutablePointer<(any Specimen)?>) -> UInt, isOnly: (UnsafeMutablePointer<(any Specimen)?>) -> Bool
  ) -> Bool {
    let place = UnsafeMutablePointer<(any Specimen)?>.allocate(capacity: 1)
    place.initialize(to: KnownSpecimen())
    defer {
      place.deinitialize(count: 1)
      place.deallocate()
    }
    guard address(place) == place.pointee.map({ UInt(bitPattern: ObjectIdentifier($0)) }), isOnly(place) else {
      return false
    }
    let other = place.pointee
    let isShared = !isOnly(place)
    return withExtendedLifetime(other) { isShared } && areSameBits
  }

  /// Whether references to an object as its class and as any object are equal byte by byte.
  private static var areSameBits: Bool {
    let object = KnownSpecimen()
    return withUnsafeBytes(of: object) { known in
      withUnsafeBytes(of: object as AnyObject) { any in known.elementsEqual(any) }
    }
  }

  protocol Specimen: AnyObject {}
  private final class KnownSpecimen: Specimen {}
}

/// Objects while a fetch collects them, whose class is known at the end.
///
/// A pointer file: as long as the class is a type parameter, appending to an array of it asks the runtime for
/// metadata at each step. Here references are collected bare and become the array's elements in one move.
@usableFromInline
struct ObjectList: ~Copyable {
  @usableFromInline var objects: UnsafeMutablePointer<AnyObject>
  private var capacity: Int
  @usableFromInline var count = 0

  init(capacity: Int) {
    self.capacity = max(capacity, 8)
    objects = .allocate(capacity: self.capacity)
  }

  @usableFromInline
  deinit {
    objects.deinitialize(count: count)
    objects.deallocate()
  }

  mutating func append(_ object: consuming AnyObject) {
    if count == capacity { grow() }
    (objects + count).initialize(to: object)
    count += 1
  }

  private mutating func grow() {
    let larger = UnsafeMutablePointer<AnyObject>.allocate(capacity: 2 * capacity)
    larger.moveInitialize(from: objects, count: count)
    objects.deallocate()
    objects = larger
    capacity *= 2
  }

  /// Moves the objects into an array. The caller has made sure that all are of the class.
  @inlinable
  mutating func takeAll<Model: PersistentModel>(as type: Model.Type) -> [Model] {
    let taken = count
    guard taken > 0 else { return [] }
    return [Model](unsafeUninitializedCapacity: taken) { buffer, initialized in
      guard let start = buffer.baseAddress else { return }
      if ClassReference.isKnown {
        // The same bits, in one move.
        UnsafeMutableRawPointer(start).moveInitializeMemory(as: AnyObject.self, from: objects, count: taken)
      } else {
        for place in 0..<taken {
          (start + place).initialize(to: unsafeDowncast((objects + place).move(), to: Model.self))
        }
      }
      initialized = taken
      count = 0
    }
  }
}

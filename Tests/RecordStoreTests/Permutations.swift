extension [Int] {
  /// Every order of the elements.
  var permutations: [[Int]] {
    if count < 2 { return [self] }
    return indices.flatMap { place in
      var rest = self
      let first = rest.remove(at: place)
      return rest.permutations.map { [first] + $0 }
    }
  }
}

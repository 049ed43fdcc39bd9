extension Array {
  /// The first index whose element is in the second part, of an array that `isInSecond` divides in two.
  package func partitionIndex(_ isInSecond: (Element) throws -> Bool) rethrows -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if try isInSecond(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

;; Dot products of one int8 vector with many, 16 components at a time. Source of the bytes in dots.ts, which says how
;; they were assembled. Vectors lie one after the other, each padded with zeros to a multiple of 16 bytes.
(module
  (memory (import "env" "memory") 1)
  (func (export "dots") (param $query i32) (param $vectors i32) (param $count i32) (param $stride i32) (param $out i32)
    (local $end i32) (local $at i32) (local $sum v128) (local $a v128) (local $b v128)
    (block $done
      (loop $row
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $sum (v128.const i32x4 0 0 0 0))
        (local.set $at (local.get $query))
        (local.set $end (i32.add (local.get $vectors) (local.get $stride)))
        (loop $part
          (local.set $a (v128.load (local.get $vectors)))
          (local.set $b (v128.load (local.get $at)))
          (local.set $sum
            (i32x4.add
              (local.get $sum)
              (i32x4.add
                (i32x4.extadd_pairwise_i16x8_s (i16x8.extmul_low_i8x16_s (local.get $a) (local.get $b)))
                (i32x4.extadd_pairwise_i16x8_s (i16x8.extmul_high_i8x16_s (local.get $a) (local.get $b))))))
          (local.set $vectors (i32.add (local.get $vectors) (i32.const 16)))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br_if $part (i32.lt_u (local.get $vectors) (local.get $end))))
        (i32.store
          (local.get $out)
          (i32.add
            (i32.add (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))
            (i32.add (i32x4.extract_lane 2 (local.get $sum)) (i32x4.extract_lane 3 (local.get $sum)))))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $row)))))

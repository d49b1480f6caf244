#!/bin/sh
# A run in sixteen parts as a Slurm job array, joined by a job that waits for it:
#
#     part=$(sbatch --parsable shards-slurm.sh)
#     sbatch --dependency=afterany:$part --wrap 'assize merge parts/part-* -o joined; assize gate joined'
#
#SBATCH --job-name=charter
#SBATCH --array=1-16
#SBATCH --cpus-per-task=1
#SBATCH --time=04:00:00
#SBATCH --requeue

# Without a file system that all nodes share: build with --features object-store, export AWS_REGION, AWS_ACCESS_KEY_ID and
# AWS_SECRET_ACCESS_KEY, put this in the place of all that follows, and join with: assize merge "s3://bucket/$part" -o joined
#
#     exec assize run --rows all --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" --out "$TMPDIR/part" \
#         --store "s3://bucket/$SLURM_ARRAY_JOB_ID/$SLURM_ARRAY_TASK_ID"

k=$SLURM_ARRAY_TASK_ID
n=$SLURM_ARRAY_TASK_COUNT
mkdir -p parts

# A task that is started again goes on where the last one was killed.
if [ -f "parts/part-$k/plan.json" ]; then
    exec assize run --resume "parts/part-$k"
fi
rm -rf "parts/part-$k"
exec assize run --rows all --shard "$k/$n" --out "parts/part-$k"
